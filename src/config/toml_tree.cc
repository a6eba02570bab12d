/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * toml++ is used without its own exceptions, but the C++ library under it still throws when memory
 * runs out: nothing leaves this file, every function that C calls ends in catch (...).
 */
#define TOML_EXCEPTIONS        0
#define TOML_HEADER_ONLY       1
#define TOML_ENABLE_FORMATTERS 0
/* A text must not be able to end the process: the parser's assertions are caught below, too. */
struct broken_assertion {};
[[noreturn]] static void fail_assertion()
{
    throw broken_assertion();
}
#define TOML_ASSERT(expr) ((expr) ? static_cast<void>(0) : fail_assertion())
#include <toml++/toml.h>

#include <cstdio>
#include <string>

#include "config/toml_tree.h"

namespace {

constexpr int max_depth = 8;

struct walker {
    cuzk_toml_fn fn;
    void *arg;
};

bool is_bare(std::string_view key)
{
    for (const char c : key) {
        const bool bare = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!bare) {
            return false;
        }
    }
    return !key.empty();
}

cuzk_toml_kind kind_of(const toml::node &node)
{
    switch (node.type()) {
    case toml::node_type::string: return CUZK_TOML_STRING;
    case toml::node_type::integer: return CUZK_TOML_INTEGER;
    case toml::node_type::floating_point: return CUZK_TOML_FLOAT;
    case toml::node_type::boolean: return CUZK_TOML_BOOL;
    case toml::node_type::array: return CUZK_TOML_ARRAY;
    case toml::node_type::table: return CUZK_TOML_TABLE;
    default: return CUZK_TOML_TIME;
    }
}

bool give(const walker &w, const std::string &path, const toml::node &node, bool is_item)
{
    cuzk_toml_node out = {};
    out.path = path.c_str();
    out.kind = kind_of(node);
    out.is_item = is_item;
    out.line = static_cast<uint32_t>(node.source().begin.line);
    out.column = static_cast<uint32_t>(node.source().begin.column);
    if (const auto *s = node.as_string()) {
        out.string = s->get().c_str();
        out.string_len = s->get().size();
    } else if (const auto *i = node.as_integer()) {
        out.integer = i->get();
    } else if (const auto *b = node.as_boolean()) {
        out.boolean = b->get();
    } else if (const auto *a = node.as_array()) {
        out.n_items = a->size();
    }
    return w.fn(w.arg, &out);
}

bool walk(const walker &w, const std::string &path, const toml::node &node, int depth)
{
    if (!path.empty() && !give(w, path, node, false)) {
        return false;
    }
    if (const auto *a = node.as_array()) {
        for (const toml::node &item : *a) {
            if (!give(w, path, item, true)) {
                return false;
            }
        }
    }
    const auto *t = node.as_table();
    if (t == nullptr || depth == max_depth) {
        return true;
    }
    for (const auto &[key, value] : *t) {
        const std::string_view k = key.str();
        std::string name(k);
        if (!is_bare(k)) {
            name.insert(name.begin(), '"');
            name.push_back('"');
        }
        if (!walk(w, path.empty() ? name : path + "." + name, value, depth + 1)) {
            return false;
        }
    }
    return true;
}

} // namespace

extern "C" cuzk_toml_result cuzk_toml_walk(const char *text, size_t n, cuzk_toml_fn fn, void *arg,
                                           cuzk_toml_error *error)
{
    try {
        const toml::parse_result r = toml::parse(std::string_view(text, n));
        if (!r) {
            const std::string what(r.error().description());
            error->line = static_cast<uint32_t>(r.error().source().begin.line);
            error->column = static_cast<uint32_t>(r.error().source().begin.column);
            std::snprintf(error->text, sizeof(error->text), "%s", what.c_str());
            return CUZK_TOML_SYNTAX;
        }
        walk({fn, arg}, "", r.table(), 0);
        return CUZK_TOML_OK;
    } catch (const broken_assertion &) {
        *error = {};
        std::snprintf(error->text, sizeof(error->text), "the TOML parser fails on this text");
        return CUZK_TOML_SYNTAX;
    } catch (...) {
        return CUZK_TOML_NOMEM;
    }
}
