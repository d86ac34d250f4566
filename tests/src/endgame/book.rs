//! A collection of tables, each solved once.

use std::collections::HashMap;
use std::sync::Arc;

use super::pieces::{Material, Rules};
use super::table::Table;

/// The tables of one rule set, solved on request.
#[derive(Clone, Debug)]
pub struct Book {
    rules: Rules,
    tables: HashMap<Material, Arc<Table>>,
}

impl Book {
    /// A book without tables.
    pub fn new(rules: Rules) -> Self {
        Self { rules, tables: HashMap::new() }
    }

    /// The table of a set. It is solved after the tables of the sets that captures lead to.
    pub fn table(&mut self, material: Material) -> Arc<Table> {
        if let Some(known) = self.tables.get(&material) {
            return Arc::clone(known);
        }
        let rules = self.rules;
        let table = Arc::new(Table::solve(material.clone(), &rules, |left| self.table(left)));
        self.tables.insert(material, Arc::clone(&table));
        table
    }
}
