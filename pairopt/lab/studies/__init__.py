"""Studies that are files: what is asked is written down before anything is played.

`file` reads a study.toml, `folder` plays it into a folder of tables, figures and sentences,
`check` makes all of them again from the games that were kept, `power` says how many tournaments
it takes.
"""
