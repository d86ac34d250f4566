"""The list of agents."""

import darkqi


def test_agents_are_listed_with_their_options() -> None:
    agents = {agent.name: agent for agent in darkqi.agents()}
    assert list(agents) == sorted(agents)
    assert {"random", "greedy", "expectimax", "ismcts"} <= set(agents)
    for agent in agents.values():
        assert agent.about
        assert agent.options[-1].name == "epsilon"
        for option in agent.options:
            assert option.about
    state = darkqi.State("flipping", seed=1)
    for option in agents["greedy"].options:
        spec = f"greedy:{option.name}={option.default}"
        assert state.choose(spec) in state.legal_actions()
