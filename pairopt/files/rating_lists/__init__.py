"""Rating lists: read the files of federations, index them, and find persons in them."""
