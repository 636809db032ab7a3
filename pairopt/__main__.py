"""`python -m pairopt`."""

from pairopt.cli import main

main(prog_name="pairopt")
