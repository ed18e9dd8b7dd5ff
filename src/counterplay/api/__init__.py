"""The functions behind `import counterplay as cp`: one for each command, with its options as keywords."""
