//! The card of a dataset: `README.md`, for people and for the Hugging Face hub, which finds in its
//! header which files make a table.

use darkqi_env::shown::shown_name;

use crate::format::Metadata;

/// The text of the card.
pub(super) fn card(metadata: &Metadata) -> String {
    let Metadata { game, seed, agents, software_version, .. } = metadata;
    let options = metadata.options_json();
    let agents: Vec<String> = agents.iter().map(|agent| text(agent)).collect();
    let (agents, game) = (agents.join(", "), text(game));
    let software_version = text(software_version);
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

/// A name as text of Markdown, in which it makes no link, no cell of a table, no code and no HTML.
fn text(name: &str) -> String {
    let mut text = String::new();
    for character in shown_name(name).chars() {
        match character {
            '&' => text += "&amp;",
            '<' => text += "&lt;",
            '>' => text += "&gt;",
            '\\' | '`' | '|' | '[' | ']' | '*' | '~' | '$' => text.extend(['\\', character]),
            plain => text.push(plain),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn names_are_text() {
        let plain = "onnx:/tmp/net_1.onnx,temperature=1";
        assert_eq!(text(plain), plain);
        let name = "<script>|`[a](b)`\n# x & \u{202e}";
        let shown = "&lt;script&gt;\\|\\`\\[a\\](b)\\`\\\\u000a# x &amp; \\\\u202e";
        assert_eq!(text(name), shown);
        assert!(text(&"x".repeat(100_000)).len() < 300);
    }
}
