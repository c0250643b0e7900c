/** What no statement may do, whoever makes it. */
export const rules = `
-- What an intent is never changes, and the one thing it can become again is itself.
CREATE TRIGGER intents_identity_is_fixed
BEFORE UPDATE OF seq, id, kind, base_url, bot, key, created_at, named_by, name, identity ON intents
WHEN NEW.seq <> OLD.seq OR NEW.id <> OLD.id OR NEW.kind <> OLD.kind OR NEW.base_url <> OLD.base_url OR NEW.bot <> OLD.bot
  OR NEW.key <> OLD.key OR NEW.created_at <> OLD.created_at OR NEW.named_by IS NOT OLD.named_by
  OR NEW.name IS NOT OLD.name OR NEW.identity <> OLD.identity
BEGIN SELECT RAISE(ABORT, 'an intent keeps its key and identity'); END;

CREATE TRIGGER intents_spelling_is_fixed BEFORE UPDATE OF row_id, spelled_url ON intents
WHEN NEW.row_id IS NOT OLD.row_id OR NEW.spelled_url IS NOT OLD.spelled_url
BEGIN SELECT RAISE(ABORT, 'an intent keeps its row and its spelling'); END;

CREATE TRIGGER intents_body_is_frozen BEFORE UPDATE OF body, fingerprint, payment ON intents
WHEN (NEW.body <> OLD.body OR NEW.fingerprint <> OLD.fingerprint OR NEW.payment IS NOT OLD.payment)
  AND NOT (OLD.state IN ('rejected', 'resolved') AND OLD.tainted = 0 AND OLD.resolved_as IS NOT 'happened')
BEGIN SELECT RAISE(ABORT, 'the body of an intent is frozen'); END;

CREATE TRIGGER intents_attempts_are_counted BEFORE UPDATE OF attempts ON intents
WHEN NEW.attempts < OLD.attempts
BEGIN SELECT RAISE(ABORT, 'attempts are not uncounted'); END;

CREATE TRIGGER intents_taint_stays BEFORE UPDATE OF tainted ON intents
WHEN OLD.tainted = 1 AND NEW.tainted = 0
BEGIN SELECT RAISE(ABORT, 'a tainted intent stays tainted'); END;

CREATE TRIGGER intents_reported_once BEFORE UPDATE OF reported_at ON intents
WHEN OLD.reported_at IS NOT NULL AND NEW.reported_at IS NOT OLD.reported_at
BEGIN SELECT RAISE(ABORT, 'an outcome is first reported once'); END;

CREATE TRIGGER intents_are_kept BEFORE DELETE ON intents
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

-- INSERT OR REPLACE deletes without asking the triggers of deletion.
CREATE TRIGGER intents_are_not_replaced BEFORE INSERT ON intents
WHEN EXISTS (SELECT 1 FROM intents WHERE seq = NEW.seq OR id = NEW.id)
  OR EXISTS (SELECT 1 FROM intents WHERE key = NEW.key AND base_url = NEW.base_url AND kind = NEW.kind)
BEGIN SELECT RAISE(ABORT, 'nothing is replaced in the journal'); END;

CREATE TRIGGER intents_begin_claimed BEFORE INSERT ON intents
WHEN NEW.tainted = 1 OR NOT (NEW.state = 'sending'
  OR (NEW.state = 'held' AND NEW.attempts = 0 AND coalesce(NEW.why, '') IN ('approval', 'proposed', 'above-limit')))
BEGIN SELECT RAISE(ABORT, 'an intent begins claimed, or as a proposal, and untainted'); END;

-- accepted outranks everything and is left by nothing.
CREATE TRIGGER intents_state_moves BEFORE UPDATE OF state ON intents
WHEN NEW.state <> OLD.state AND (OLD.state || '>' || NEW.state) NOT IN (
  'open>sending', 'open>held', 'open>resolved', 'open>accepted',
  'sending>open', 'sending>unknown', 'sending>accepted', 'sending>rejected', 'sending>held',
  'unknown>sending', 'unknown>held', 'unknown>resolved', 'unknown>accepted',
  'held>sending', 'held>resolved', 'held>accepted',
  'rejected>sending', 'rejected>held', 'rejected>accepted',
  'resolved>sending', 'resolved>held', 'resolved>accepted')
BEGIN SELECT RAISE(ABORT, 'no intent moves between these states'); END;

-- Whatever has not been sent may be kept for a person's word, also where an earlier attempt came to nothing.
CREATE TRIGGER intents_held_for_approval BEFORE UPDATE OF state ON intents
WHEN NEW.state = 'held' AND OLD.state IN ('open', 'rejected', 'resolved')
  AND coalesce(NEW.why, '') NOT IN ('approval', 'proposed', 'above-limit')
BEGIN SELECT RAISE(ABORT, 'no intent moves between these states'); END;

CREATE TRIGGER intents_happened_is_not_sent BEFORE UPDATE OF state ON intents
WHEN OLD.resolved_as = 'happened' AND NEW.state = 'sending'
BEGIN SELECT RAISE(ABORT, 'what happened is not sent again'); END;

CREATE TRIGGER intents_unnamed_is_not_reopened BEFORE UPDATE OF state ON intents
WHEN OLD.named_by IS NULL AND OLD.state IN ('rejected', 'resolved') AND NEW.state = 'sending'
BEGIN SELECT RAISE(ABORT, 'an unnamed intent that ended is not sent again'); END;

CREATE TRIGGER intents_accepted_by_attempt BEFORE UPDATE OF state ON intents
WHEN NEW.state = 'accepted' AND OLD.state <> 'accepted'
  AND NOT EXISTS (SELECT 1 FROM attempts WHERE intent = OLD.seq AND verdict = 'accepted')
BEGIN SELECT RAISE(ABORT, 'only an accepted attempt makes an intent accepted'); END;

CREATE TRIGGER intents_owner_keeps BEFORE UPDATE OF owner ON intents
WHEN OLD.owner IS NOT NULL AND NEW.owner IS NOT NULL AND NEW.owner <> OLD.owner
BEGIN SELECT RAISE(ABORT, 'a claim passes on only through unknown'); END;

CREATE TRIGGER services_are_known AFTER INSERT ON intents
WHEN NOT EXISTS (SELECT 1 FROM services WHERE base_url = NEW.base_url)
BEGIN INSERT INTO services (base_url) VALUES (NEW.base_url); END;

CREATE TRIGGER services_are_kept BEFORE DELETE ON services
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

CREATE TRIGGER services_stand BEFORE UPDATE ON services
BEGIN SELECT RAISE(ABORT, 'a base URL stands as it was given'); END;

CREATE TRIGGER attempts_need_a_claim BEFORE INSERT ON attempts
WHEN (SELECT state FROM intents WHERE seq = NEW.intent) <> 'sending'
BEGIN SELECT RAISE(ABORT, 'an attempt needs a claim'); END;

CREATE TRIGGER attempts_are_not_replaced BEFORE INSERT ON attempts
WHEN EXISTS (SELECT 1 FROM attempts WHERE seq = NEW.seq)
  OR EXISTS (SELECT 1 FROM attempts WHERE intent = NEW.intent AND number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'nothing is replaced in the journal'); END;

CREATE TRIGGER attempts_begin_unjudged BEFORE INSERT ON attempts
WHEN NEW.verdict IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'an attempt begins without a verdict'); END;

CREATE TRIGGER attempts_stay BEFORE UPDATE ON attempts
WHEN NEW.seq <> OLD.seq OR NEW.intent <> OLD.intent OR NEW.number <> OLD.number
  OR NEW.started_at <> OLD.started_at
BEGIN SELECT RAISE(ABORT, 'an attempt stays where it began'); END;

CREATE TRIGGER attempts_end_once BEFORE UPDATE ON attempts
WHEN OLD.verdict IS NOT NULL AND NOT (OLD.phase = 'process-died' AND NEW.phase <> 'process-died')
BEGIN SELECT RAISE(ABORT, 'an attempt ends once'); END;

CREATE TRIGGER attempts_are_kept BEFORE DELETE ON attempts
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

CREATE TRIGGER attempts_taint AFTER UPDATE OF verdict ON attempts
WHEN NEW.verdict IN ('unknown', 'held')
BEGIN
  UPDATE intents SET tainted = 1, may_have_landed_at = coalesce(may_have_landed_at, NEW.started_at)
  WHERE seq = NEW.intent;
END;

CREATE TRIGGER decisions_are_not_replaced BEFORE INSERT ON decisions
WHEN EXISTS (SELECT 1 FROM decisions WHERE seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'nothing is replaced in the journal'); END;

CREATE TRIGGER decisions_are_kept BEFORE DELETE ON decisions
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

CREATE TRIGGER decisions_stand BEFORE UPDATE ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision stands as it was made'); END;

CREATE TRIGGER receipts_are_not_replaced BEFORE INSERT ON receipts
WHEN EXISTS (SELECT 1 FROM receipts WHERE seq = NEW.seq)
  OR EXISTS (SELECT 1 FROM receipts WHERE value = NEW.value AND what = NEW.what AND origin = NEW.origin)
BEGIN SELECT RAISE(ABORT, 'nothing is replaced in the journal'); END;

CREATE TRIGGER receipts_are_kept BEFORE DELETE ON receipts
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

CREATE TRIGGER receipts_stand BEFORE UPDATE ON receipts
BEGIN SELECT RAISE(ABORT, 'a receipt stands as it was given'); END;

CREATE TRIGGER observations_have_their_payment BEFORE INSERT ON observations
WHEN NEW.verdict = 'proven' AND NOT EXISTS (SELECT 1 FROM receipts WHERE intent = NEW.intent
  AND what = 'instruction' AND origin = NEW.genesis AND value = NEW.signature || '/' || NEW.instruction)
BEGIN SELECT RAISE(ABORT, 'what is proven has a payment of its own'); END;

CREATE TRIGGER observations_are_not_replaced BEFORE INSERT ON observations
WHEN EXISTS (SELECT 1 FROM observations WHERE seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'nothing is replaced in the journal'); END;

CREATE TRIGGER observations_are_kept BEFORE DELETE ON observations
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

CREATE TRIGGER observations_stand BEFORE UPDATE ON observations
BEGIN SELECT RAISE(ABORT, 'an observation stands as it was made'); END;

CREATE TRIGGER losses_are_kept BEFORE DELETE ON losses
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

CREATE TRIGGER losses_stand BEFORE UPDATE ON losses
BEGIN SELECT RAISE(ABORT, 'a loss stands as it was accepted'); END;
`;
