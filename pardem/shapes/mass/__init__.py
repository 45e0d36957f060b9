"""Mass, centre and inertia of shapes, exact or by quasi-Monte-Carlo integration."""
