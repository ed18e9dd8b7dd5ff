"""The functions behind `import counterplay as cp`: one for each command, with the command's options as keywords."""
