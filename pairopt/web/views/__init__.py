"""Views: one small module and one template each; see `pairopt.web.view`."""
