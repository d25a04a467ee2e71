/* built.c - the network is there: the libraries behind it. absent.c stands for it in builds without. */
#include <tacit/net.h>

#include <curl/curl.h>
#include <gnutls/gnutls.h>
#include <microhttpd.h>

bool tacit_net_is_built(void)
{
    return true;
}

void tacit_net_parts(tacit_build_visit visit, void *user)
{
    if (!visit)
        return;
    visit(user, "gnutls", gnutls_check_version(NULL));
    visit(user, "microhttpd", MHD_get_version());
    visit(user, "curl", curl_version_info(CURLVERSION_NOW)->version);
}
