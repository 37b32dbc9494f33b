"""A class of simulated visitors for one real server, and what each of them, and the server, goes through."""
