//! The card of a dataset: `README.md`, for people and for the Hugging Face hub, which finds in its
//! header which files make a table.

use crate::format::Metadata;

/// The text of the card.
pub(super) fn card(metadata: &Metadata) -> String {
    let Metadata { game, seed, agents, software_version, .. } = metadata;
    let options = metadata.options_json();
    let agents = agents.join(", ");
    format!(
        "---
configs:
- config_name: games
  data_files: games/*.parquet
  default: true
- config_name: plies
  data_files: plies/*.parquet
---

# Games of {game}

Played by darkqi {software_version}: agents {agents}; seed {seed}; options `{options}`.

- `games/*.parquet` has one row per game: deal, agents, result, first reveal.
- `plies/*.parquet` has one row per ply: action, what it revealed and captured, and where the agent
  gives them the value of the position and the policy.
- `dataset.json` lists the finished files with their checksums.

```python
import polars as pl

games = pl.scan_parquet(\"games/*.parquet\")
plies = pl.scan_parquet(\"plies/*.parquet\")
```
"
    )
}
