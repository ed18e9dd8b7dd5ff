"""The built-in games, one module a game. The table is the registry: name, then `module:Class`."""

GAMES: dict[str, str] = {
    "connect-four": "counterplay.games.connect_four:ConnectFour",
    "hex": "counterplay.games.hex:Hex",
    "kayles": "counterplay.games.kayles:Kayles",
    "kuhn-poker": "counterplay.games.kuhn_poker:KuhnPoker",
    "leduc-poker": "counterplay.games.leduc_poker:LeducPoker",
    "matrix": "counterplay.games.matrix:Matrix",
    "mnk": "counterplay.games.mnk:Mnk",
    "nim": "counterplay.games.nim:Nim",
    "othello": "counterplay.games.othello:Othello",
    "pig": "counterplay.games.pig:Pig",
    "prisoners-dilemma": "counterplay.games.matrix:PrisonersDilemma",
    "rock-paper-scissors": "counterplay.games.matrix:RockPaperScissors",
    "tic-tac-toe": "counterplay.games.mnk:TicTacToe",
    "tree": "counterplay.games.tree:Tree",
}
