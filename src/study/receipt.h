/* receipt.h - what a coordinator keeps of a message beside the message itself: that there was one.
 *
 * Contributions live for one round. A hash of one, or a signature over it, lets everybody check a guess,
 * also when the contribution is gone; of a single reward there are few to guess. Earlier versions
 * kept both. Whoever reads records of the kinds RECEIPT and EVIDENCE out of an older store (the coordinator
 * at its start, a backup) takes them out by this. */
#ifndef TC_STUDY_RECEIPT_H
#define TC_STUDY_RECEIPT_H

#include "study/record.h"

/* Is something of a message in this record? */
bool tc_receipt_tells(const tc_record *r);
/* Its value without that, for tc_free. E_CORRUPT: the record is not JSON. */
tacit_status tc_receipt_plain(const tc_record *r, char **out, tacit_error *err);

#endif
