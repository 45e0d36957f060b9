"""The commands of `pardem`: a module for each group of them, with a function for each command and its place on the command line."""
