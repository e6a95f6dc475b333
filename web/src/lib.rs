//! gpusudoku in a browser: what the page's workers call. Everything is text or typed arrays; decisions are the library's.

#![forbid(unsafe_code)]

mod desk;
mod request;
mod run;

use gpusudoku::engine::gpu::adapter;
use serde::Serialize;
use serde_json::json;
use wasm_bindgen::prelude::*;

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain values")
}

/// A sentence for the page.
fn sentence(error: impl ToString) -> JsValue {
    JsValue::from_str(&error.to_string())
}

/// The adapters of the browser, as JSON.
#[wasm_bindgen]
pub async fn adapters() -> String {
    let found = adapter::list().await;
    let adapters: Vec<_> = found
        .iter()
        .map(|it| {
            json!({
                "name": it.name,
                "kind": it.kind,
                "driver": it.driver,
                "workgroupMemory": it.max_workgroup_memory,
                "storageBinding": it.max_storage_binding,
            })
        })
        .collect();
    text(&adapters)
}
