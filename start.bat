@echo off
rem Starts pairopt on Windows: makes its environment once, then opens the page.
rem Double-click this file. start.sh does the same on Linux.
setlocal
set "HERE=%~dp0"
set "ENVIRONMENT=%HERE%.pairopt-environment"
set "VERSION=%HERE%pairopt\version.py"
set "LOG=%ENVIRONMENT%\install.log"
set "EVENTS=%USERPROFILE%\pairopt-events"
set "RECENT=import sys; sys.exit(sys.version_info < (3, 11))"

fc /b "%VERSION%" "%ENVIRONMENT%\ready" >nul 2>&1
if errorlevel 1 goto install
"%ENVIRONMENT%\Scripts\python.exe" -c "%RECENT%" >nul 2>&1
if errorlevel 1 goto install
goto serve

:install
set "PYTHON="
py -3 -c "%RECENT%" >nul 2>&1
if not errorlevel 1 set "PYTHON=py -3"
if defined PYTHON goto make
python -c "%RECENT%" >nul 2>&1
if not errorlevel 1 set "PYTHON=python"
if defined PYTHON goto make
py -3 --version >nul 2>&1
if not errorlevel 1 goto old_python
python --version >nul 2>&1
if not errorlevel 1 goto old_python
goto no_python

:make
echo pairopt is set up once, in %ENVIRONMENT%.
echo This needs the internet and takes a few minutes...
if not exist "%ENVIRONMENT%" mkdir "%ENVIRONMENT%" >nul 2>&1
type nul > "%LOG%" 2>nul
if not exist "%LOG%" goto read_only
%PYTHON% -m venv "%ENVIRONMENT%" >> "%LOG%" 2>&1
if errorlevel 1 goto not_installed
"%ENVIRONMENT%\Scripts\python.exe" -m pip install --quiet "%HERE%.[web]" >> "%LOG%" 2>&1
if errorlevel 1 goto not_installed
copy /y "%VERSION%" "%ENVIRONMENT%\ready" >nul

:serve
if not exist "%EVENTS%" mkdir "%EVENTS%" >nul 2>&1
cd /d "%EVENTS%"
if errorlevel 1 goto no_events
echo Your events are in %EVENTS%.
echo The page opens in your browser. This window stays open while pairopt runs:
echo close it, or press Ctrl-C in it, to end pairopt.
"%ENVIRONMENT%\Scripts\python.exe" -m pairopt serve %*
if errorlevel 1 goto ended
exit /b 0

:no_python
echo.
echo There is no Python on this computer, and pairopt needs Python 3.11 or later.
echo Install it from https://www.python.org/downloads/ and start pairopt again.
goto stop

:old_python
echo.
echo The Python on this computer is too old: pairopt needs Python 3.11 or later.
echo Install a newer one from https://www.python.org/downloads/ and start pairopt again.
goto stop

:read_only
echo.
echo This folder can't be written: %HERE%
echo Copy the whole folder to another place, for example your Documents,
echo and start pairopt there.
goto stop

:not_installed
echo.
echo What pairopt needs could not be installed. It said:
type "%LOG%"
echo Is this computer connected to the internet? Then start pairopt again.
goto stop

:no_events
echo.
echo The folder of your events can't be made: %EVENTS%
echo Make it yourself, and start pairopt again.
goto stop

:ended
echo.
echo pairopt has ended. If a line above names a port that cannot be used,
echo another program has it: start pairopt again as: start.bat --port 8460

:stop
echo.
pause
exit /b 1
