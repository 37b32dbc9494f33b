"""How far a cluster carries: what a piece costs on its way, measured; and where more workers stop paying, reckoned."""
