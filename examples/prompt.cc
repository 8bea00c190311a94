// One prompt from C++, printed as it comes: c++ prompt.cc $(pkg-config --cflags --libs kedge)
#include <kedge.h>

#include <iostream>
#include <memory>
#include <string>

int main()
{
    kedge_options options = {};
    options.size = sizeof options;
    options.no_session = 1;
    kedge_error *error = nullptr;
    std::unique_ptr<kedge_session, kedge_code (*)(kedge_session *)> session(
        kedge_session_open(&options, &error), kedge_session_free);

    unsigned deltas = 0;
    auto count = [](const char *event, void *user_data) {
        if (std::string(event).find("\"text_delta\"") != std::string::npos)
            ++*static_cast<unsigned *>(user_data);
    };
    char *text = nullptr;
    if (!session ||
        kedge_session_subscribe(session.get(), KEDGE_DELTAS, count, &deltas, nullptr, &error) !=
            KEDGE_OK ||
        kedge_session_run(session.get(), "Hello", &text, &error) != KEDGE_OK) {
        std::cerr << kedge_error_message(error) << "\n";
        kedge_error_free(error);
        return 1;
    }
    std::cout << text << "\n" << (deltas > 0 ? "it came in pieces" : "it came whole") << "\n";
    kedge_free(text);
}
