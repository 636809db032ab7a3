"""What engines share: types of players, columns, odd sets, prices, weights."""
