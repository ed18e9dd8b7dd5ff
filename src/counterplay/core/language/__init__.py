"""The language that rules and kernels are written in: numbers, states, actions, kernels, workspaces."""
