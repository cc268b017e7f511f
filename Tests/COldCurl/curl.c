// A libcurl that is older than flick supports, and does nothing else.
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

curl_version_info_data *curl_version_info(CURLversion age) {
    (void)age;
    static curl_version_info_data info = {.version = "7.81.0", .version_num = 0x075100, .ssl_version = "OpenSSL/3.0.2"};
    return &info;
}

CURLcode curl_global_init(long flags) { return (void)flags, CURLE_FAILED_INIT; }
CURL *curl_easy_init(void) { return NULL; }
void curl_easy_cleanup(CURL *easy) { (void)easy; }
CURLcode curl_easy_setopt(CURL *easy, CURLoption option, ...) { return (void)easy, (void)option, CURLE_FAILED_INIT; }
CURLcode curl_easy_getinfo(CURL *easy, CURLINFO info, ...) { return (void)easy, (void)info, CURLE_FAILED_INIT; }
CURLcode curl_easy_pause(CURL *easy, int actions) { return (void)easy, (void)actions, CURLE_FAILED_INIT; }
struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text) { return (void)text, list; }
void curl_slist_free_all(struct curl_slist *list) { (void)list; }
CURLM *curl_multi_init(void) { return NULL; }
CURLMcode curl_multi_cleanup(CURLM *multi) { return (void)multi, CURLM_INTERNAL_ERROR; }
CURLMcode curl_multi_setopt(CURLM *multi, CURLMoption option, ...) {
    return (void)multi, (void)option, CURLM_INTERNAL_ERROR;
}
CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy) { return (void)multi, (void)easy, CURLM_INTERNAL_ERROR; }
CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy) { return (void)multi, (void)easy, CURLM_INTERNAL_ERROR; }
CURLMcode curl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events, int *running) {
    return (void)multi, (void)socket, (void)events, (void)running, CURLM_INTERNAL_ERROR;
}
CURLMsg *curl_multi_info_read(CURLM *multi, int *count) { return (void)multi, (void)count, NULL; }
