/* built.c - the network is there: the libraries behind it. For `tacit version`. */
#include "net/built.h"

#include <curl/curl.h>
#include <gnutls/gnutls.h>
#include <microhttpd.h>

bool tc_net_is_built(void)
{
    return true;
}

tc_net_libraries tc_net_libraries_here(void)
{
    return (tc_net_libraries){.gnutls = gnutls_check_version(NULL),
                              .microhttpd = MHD_get_version(),
                              .curl = curl_version_info(CURLVERSION_NOW)->version};
}
