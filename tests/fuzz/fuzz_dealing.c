/* fuzz_dealing.c - uploads of shares, as a coordinator and trustees get them from anybody.
 *
 * A genuine upload is spoiled. What is read has the size that its head says, and all boxes lie in it; a box opens only if it is, byte for
 * byte, what the sender made. */
#include "input.h"

#include "wire/dealing.h"

enum { TRUSTEES = 4, WORDS = 5, ROUND = 3 };

/* Made once. */
static struct world {
    bool made;
    tc_trustees t;
    tacit_hash roster;
    tc_public_key sender;
    tc_box_key keys[TRUSTEES];
    tc_box_secret secrets[TRUSTEES];
    uint8_t upload[1024];
    size_t size;
} w;

static void make(void)
{
    static const int64_t vector[WORDS] = {0, 1, -1, TC_FIELD_MOST, -TC_FIELD_MOST};
    uint8_t seed[32] = {3};
    tc_secret_key identity;
    w.t = tc_trustees_usual(TRUSTEES);
    tc_keys_from(&w.sender, &identity, seed);
    for (size_t k = 0; k < TRUSTEES; k++) {
        seed[1]++;
        tc_box_keys_from(&w.keys[k], &w.secrets[k], seed);
    }
    const tc_dealer d = {.trustees = w.t,
                         .roster = w.roster,
                         .epoch = 1,
                         .round = ROUND,
                         .kind = TC_DEALER_AGENT,
                         .number = 7,
                         .identity = &identity,
                         .keys = w.keys};
    w.size = tc_dealing_size(&w.t, WORDS);
    REQUIRE(w.size <= sizeof w.upload);
    REQUIRE(tc_dealing_write(&d, seed, vector, WORDS, w.upload, NULL) == TACIT_OK);
    w.made = true;
}

static void check_box(const tc_dealing_head *head, const fuzz_piece *p, uint32_t k)
{
    const uint8_t *box = tc_dealing_box(&w.t, p->bytes, k);
    const size_t size = tc_dealing_box_size(&w.t, k, head->words);
    REQUIRE(box >= p->bytes && (size_t)(box - p->bytes) + size <= p->n);
    uint8_t *share = malloc(tc_share_size(&w.t, k, head->words));
    REQUIRE(share);
    if (tc_dealing_open(&w.t, &w.roster, head, &w.sender, k, &w.secrets[k], box, size, share,
                        NULL) == TACIT_OK) {
        REQUIRE(head->number == 7 && head->round == ROUND && head->words == WORDS);
        REQUIRE(memcmp(box, tc_dealing_box(&w.t, w.upload, k), size) == 0);
    }
    free(share);
}

FUZZ_TARGET(dealing)
{
    fuzz_input in = {data, size};
    tc_dealing_head head;
    if (!w.made)
        make();
    fuzz_piece p = fuzz_spoil(&in, w.upload, w.size);
    if (tc_dealing_read(&w.t, p.bytes, p.n, &head, NULL) == TACIT_OK) {
        REQUIRE(p.n == tc_dealing_size(&w.t, head.words));
        tc_dealing_head same = head;
        REQUIRE(tc_dealing_check(&w.t, &head, p.bytes, p.n, &same, NULL) == TACIT_OK);
        for (uint32_t k = 0; k < TRUSTEES; k++)
            check_box(&head, &p, k);
    }
    free(p.bytes);
    return 0;
}
