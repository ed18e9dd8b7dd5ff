"""Play under hidden information without computing an equilibrium: sampled deals, information sets, beliefs."""
