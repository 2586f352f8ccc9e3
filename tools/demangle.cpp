#include "demangle.h"

#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <string>

namespace {

bool is_of_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$' || c == '@';
}

/* What follows a dot or @ in a symbol (.isra.0, @@VERSION) is not of the mangling, and is kept as it is. */
std::string readable(const std::string &word) {
    std::string name = word.substr(0, word.find_first_of(".@"));
    int status = -1;
    char *text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string result = status == 0 && text ? text + word.substr(name.size()) : word;
    std::free(text);
    return result;
}

} // namespace

extern "C" void demangle_print(const char *text, FILE *to) {
    const char *at = text;
    while (*at) {
        const char *end = at;
        while (is_of_name(*end))
            end++;
        std::string word(at, end);
        std::fputs(word.compare(0, 2, "_Z") == 0 ? readable(word).c_str() : word.c_str(), to);
        if (*end)
            std::fputc(*end++, to);
        at = end;
    }
}
