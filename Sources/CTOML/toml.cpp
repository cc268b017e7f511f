#include "CTOML.h"

#include <cstring>

// toml++ is compiled here, without exceptions: they cannot unwind through Swift.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
// It reports what its assertions would end the process for (a section without a name), too.
#define TOML_ASSERT(condition) static_cast<void>(0)
#define TOML_MAX_NESTED_VALUES FLICK_TOML_DEEPEST
#include <toml++/toml.h>

namespace {

void visit_table(const toml::table &table, flick_toml_visit visit, void *context);

void visit_node(
    const toml::node &node, std::string_view name, uint32_t line, flick_toml_visit visit, void *context)
{
    flick_toml_value value = {};
    value.name = name.data();
    value.name_size = name.size();
    value.line = line;
    if (const auto *text = node.as_string()) {
        value.kind = flick_toml_text;
        value.text = (*text)->data();
        value.text_size = (*text)->size();
    } else if (const auto *integer = node.as_integer()) {
        value.kind = flick_toml_integer;
        value.integer = integer->get();
    } else if (const auto *number = node.as_floating_point()) {
        value.kind = flick_toml_number;
        value.number = number->get();
    } else if (const auto *flag = node.as_boolean()) {
        value.kind = flick_toml_flag;
        value.flag = flag->get();
    } else if (const auto *list = node.as_array()) {
        value.kind = flick_toml_list;
        visit(context, &value);
        for (const auto &element : *list) visit_node(element, {}, element.source().begin.line, visit, context);
        value = {};
        value.kind = flick_toml_end;
    } else if (const auto *table = node.as_table()) {
        value.kind = flick_toml_table;
        visit(context, &value);
        visit_table(*table, visit, context);
        value = {};
        value.kind = flick_toml_end;
    } else {
        value.kind = flick_toml_moment;
    }
    visit(context, &value);
}

void visit_table(const toml::table &table, flick_toml_visit visit, void *context)
{
    for (const auto &[key, element] : table) {
        visit_node(element, key.str(), key.source().begin.line, visit, context);
    }
}

}  // namespace

bool flick_toml_read(
    const char *document, size_t size, flick_toml_visit visit, void *context, flick_toml_error *error)
{
    const toml::parse_result result = toml::parse(std::string_view(document, size));
    if (!result) {
        const auto why = result.error().description();
        const size_t count = why.size() < sizeof error->why ? why.size() : sizeof error->why - 1;
        std::memcpy(error->why, why.data(), count);
        error->why[count] = 0;
        error->line = result.error().source().begin.line;
        return false;
    }
    visit_table(result.table(), visit, context);
    return true;
}
