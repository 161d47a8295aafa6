//! Which SnakeYAML a Dubbo version brings (`snakeyaml_version` of its dependencies).

use super::yaml::YamlVersion;
use crate::model::version::DubboVersion;

/// The SnakeYAML of a consumer that did not bring its own.
pub fn snake_yaml(version: &DubboVersion) -> YamlVersion {
    let newest_first = [
        ([3, 3, 4], YamlVersion::V2_4),
        ([3, 2, 16], YamlVersion::V2_3),
        ([3, 2, 6], YamlVersion::V2_2),
        ([3, 2, 3], YamlVersion::V2_0),
        ([3, 2, 0], YamlVersion::V1_33),
        ([3, 1, 2], YamlVersion::V1_32),
        ([3, 1, 1], YamlVersion::V1_31),
        ([3, 0, 2], YamlVersion::V1_29),
    ];
    newest_first
        .into_iter()
        .find(|(from, _)| version.at_least(*from))
        .map_or(YamlVersion::V1_20, |(_, yaml)| yaml)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases() {
        for (dubbo, yaml) in [
            ("2.7.8", "1.20"),
            ("3.0.1", "1.20"),
            ("3.0.15", "1.29"),
            ("3.1.0", "1.29"),
            ("3.1.1", "1.31"),
            ("3.1.11", "1.32"),
            ("3.2.0", "1.33"),
            ("3.2.5", "2.0"),
            ("3.2.15", "2.2"),
            ("3.2.16", "2.3"),
            ("3.3.0", "2.3"),
            ("3.3.3", "2.3"),
            ("3.3.6", "2.4"),
        ] {
            let version = DubboVersion::parse(dubbo).unwrap();
            assert_eq!(snake_yaml(&version).as_str(), yaml, "{dubbo}");
        }
    }
}
