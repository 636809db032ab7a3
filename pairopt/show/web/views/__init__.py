"""Views: one small module and one template each; see `pairopt.show.web.view`."""
