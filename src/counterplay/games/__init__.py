"""The built-in games, one module a game. The table is the registry: name, then `module:Class`."""

GAMES: dict[str, str] = {
    "battle-of-the-sexes": "counterplay.games.matrix:BattleOfTheSexes",
    "checkers": "counterplay.games.checkers.rules:Checkers",
    "chicken": "counterplay.games.matrix:Chicken",
    "connect-four": "counterplay.games.connect_four:ConnectFour",
    "go": "counterplay.games.go.rules:Go",
    "hex": "counterplay.games.hex:Hex",
    "kayles": "counterplay.games.kayles:Kayles",
    "kuhn-poker": "counterplay.games.kuhn_poker:KuhnPoker",
    "leduc-poker": "counterplay.games.leduc_poker:LeducPoker",
    "matching-pennies": "counterplay.games.matrix:MatchingPennies",
    "matrix": "counterplay.games.matrix:Matrix",
    "mnk": "counterplay.games.mnk:Mnk",
    "nim": "counterplay.games.nim:Nim",
    "othello": "counterplay.games.othello:Othello",
    "pig": "counterplay.games.pig:Pig",
    "prisoners-dilemma": "counterplay.games.matrix:PrisonersDilemma",
    "rock-paper-scissors": "counterplay.games.matrix:RockPaperScissors",
    "stag-hunt": "counterplay.games.matrix:StagHunt",
    "tic-tac-toe": "counterplay.games.mnk:TicTacToe",
    "tree": "counterplay.games.tree:Tree",
}
