import type { Words } from './design.ts';

/** The key of the entry that was refused. Three words of it are words of the lists. */
export const key = 'notify-another-label-42';

const json = (fields: object): string => JSON.stringify(fields);
const said = (message: string): string => json({ message });
const error = (code: string, message: string): string => json({ error: { code, message } });

/** How a 409 is worded by the Bot API, by services and frameworks, and by some that are made up; and what each is. */
export const repliesOf409: readonly [who: string, body: string, is: Words][] = [
  // The status alone.
  ['empty, as Rails head :conflict', '', 'none'],
  ['Express sendStatus', 'Conflict', 'none'],
  [
    'nginx',
    '<html><head><title>409 Conflict</title></head><body><h1>409 Conflict</h1></body></html>',
    'none',
  ],
  ['an empty object', '{}', 'none'],
  ['Nest', json({ statusCode: 409, message: 'Conflict' }), 'none'],
  ['FastAPI', json({ detail: 'Conflict' }), 'none'],
  [
    'Spring Boot',
    json({
      timestamp: '2026-11-28T09:00:00.000+00:00',
      status: 409,
      error: 'Conflict',
      path: '/api/bot/v1/messages/send',
    }),
    'none',
  ],
  [
    'Spring problem details',
    json({ type: 'about:blank', title: 'Conflict', status: 409, instance: '/api/bot/v1/messages/send' }),
    'none',
  ],
  [
    'ASP.NET',
    json({
      type: 'https://tools.ietf.org/html/rfc9110#section-15.5.10',
      title: 'Conflict',
      status: 409,
      traceId: '00-84c1fd4063c38d9f3900d06e56542d48-85d1d4f1eb6a4af9-00',
    }),
    'none',
  ],
  ['with a request id', json({ error: 'Conflict', request_id: 'req_abc' }), 'none'],
  ['a number as its code', json({ error: { code: 409, details: [] } }), 'none'],
  ['the key alone', json({ error: 'conflict', idempotency_key: key }), 'none'],

  // A repetition.
  ['the Bot API’s document', said('Duplicate idempotency key'), 'repetition'],
  ['the sandbox', error('duplicate_idempotency_key', 'This idempotency key was already used.'), 'repetition'],
  ['a code alone', json({ code: 'DUPLICATE_IDEMPOTENCY_KEY' }), 'repetition'],
  ['in one word', json({ code: 'DuplicateIdempotencyKey' }), 'repetition'],
  ['camelCase', json({ error: 'duplicateKey' }), 'repetition'],
  ['a plain text', 'Duplicate idempotency key.\n', 'repetition'],
  ['a JSON text', '"Duplicate idempotency key"', 'repetition'],
  ['a list', '["Duplicate idempotency key"]', 'repetition'],
  ['FastAPI, with words', json({ detail: 'Duplicate idempotency key' }), 'repetition'],
  ['GraphQL', json({ errors: [{ extensions: { code: 'DUPLICATE_REQUEST' } }] }), 'repetition'],
  ['deep', json({ error: { details: [{ reason: 'duplicate', field: 'idempotency_key' }] } }), 'repetition'],
  ['with its own key', said(`Duplicate idempotency key "${key}"`), 'repetition'],
  ['with its own key in front', said(`${key}: this key has already been used`), 'repetition'],
  ['Adyen', json({ errorCode: '704', message: 'request already processed' }), 'repetition'],
  ['PayPal', json({ name: 'DUPLICATE_REQUEST_ID', message: 'The value was already used.' }), 'repetition'],
  ['Google', error('ALREADY_EXISTS', 'A request with this requestId already exists'), 'repetition'],
  ['Twilio', json({ code: 20409, message: 'Duplicate message' }), 'repetition'],
  ['Azure Service Bus', said('A message with this MessageId was already received.'), 'repetition'],
  ['Matrix, made up', json({ errcode: 'M_DUPLICATE', error: 'Duplicate transaction key' }), 'repetition'],
  ['MongoDB through a driver', said('E11000 duplicate key'), 'repetition'],
  ['PostgreSQL', said('duplicate key value violates unique constraint "messages_key"'), 'repetition'],
  ['already in use', said('Idempotency key already in use'), 'repetition'],
  ['already been in use', said('This key has already been in use.'), 'repetition'],
  ['already sent', said('This message was already sent'), 'repetition'],
  ['already posted', said('message already posted'), 'repetition'],
  ['already created', said('The message for this key was already created'), 'repetition'],
  ['already completed', said('Request already completed'), 'repetition'],
  ['not again', said('Duplicate request: the message was not sent again.'), 'repetition'],
  ['nothing twice', said('Duplicate idempotency key, nothing was posted twice'), 'repetition'],
  ['not twice', said('This key was already used; not processed twice'), 'repetition'],
  ['nothing again', said('Nothing will be posted again: this key was already used'), 'repetition'],

  // A request under way.
  ['Stripe', error('idempotency_key_in_use', 'There is currently another in-progress request'), 'under way'],
  [
    'the IETF draft',
    json({
      type: 'https://developer.example.com/idempotency',
      title: 'A request is outstanding for this Idempotency-Key',
      detail:
        'A request with the same Idempotency-Key for the same operation is being processed or is outstanding.',
    }),
    'under way',
  ],
  ['Square', json({ errors: [{ code: 'CONFLICT', detail: 'The request is in progress' }] }), 'under way'],
  ['Adyen, at once', said('A request with this key is already being processed'), 'under way'],
  ['PayPal, at once', error('RESOURCE_CONFLICT', 'A previous request is still running'), 'under way'],
  ['a code', json({ code: 'idempotency_in_progress' }), 'under way'],
  ['a key in use', said('This idempotency key is in use'), 'under way'],
  ['processing', said('Duplicate request: the first one is processing'), 'under way'],
  ['in flight', said('A request with this key is in-flight; try again'), 'under way'],
  ['already used and outstanding', said('Key already used by an outstanding request'), 'under way'],

  // Anything else.
  [
    'the IETF draft, reused',
    json({
      title: 'Idempotency-Key is already used',
      detail: 'It was used with a different request payload.',
    }),
    'other',
  ],
  [
    'Stripe, other parameters',
    error('idempotency_error', 'Keys can only be used with the same parameters they were first used with.'),
    'other',
  ],
  ['Square, reused', error('IDEMPOTENCY_KEY_REUSED', 'Already used with a different request body'), 'other'],
  ['AWS', json({ __type: 'IdempotentParameterMismatch', message: 'Mismatch for this token' }), 'other'],
  ['a modified body', said('Idempotency key reused with a modified body; nothing was posted'), 'other'],
  ['expired', said('The idempotency key expired; the message was not posted'), 'other'],
  ['Discord', error('duplicate_custom_id', 'Component custom id already used; message not posted'), 'other'],
  ['Discord, its code alone', json({ code: 'duplicate_custom_id' }), 'other'],
  [
    'Discord, in one word',
    json({ code: 'DuplicateCustomId', message: 'Duplicate in this message' }),
    'other',
  ],
  ['a label', said('Duplicate label in this message'), 'other'],
  ['an action row', said('Duplicate action_row in message'), 'other'],
  ['Slack', json({ ok: false, error: 'is_archived' }), 'other'],
  ['closed', json({ error: { code: 'conversation_closed' } }), 'other'],
  ['a list of errors', json({ errors: ['archived'] }), 'other'],
  ['in a field of its own', json({ reason: 'archived' }), 'other'],
  ['deep, and elsewhere', json({ message: 'Duplicate key', details: [{ note: 'not posted' }] }), 'other'],
  ['a code with a number', json({ code: 'archived_409' }), 'other'],
  ['Express, its default page', '<title>Error</title><pre>Error: Conflict<br>at send</pre>', 'other'],
  ['Kubernetes', json({ reason: 'AlreadyExists', message: 'pods "a" already exists' }), 'other'],
  ['GitHub', said('Merge conflict'), 'other'],
  [
    'Spring optimistic lock',
    json({ error: 'Conflict', message: 'Row was updated by someone else' }),
    'other',
  ],
  ['exists, but what', json({ code: 'already_exists' }), 'other'],
  ['a duplicate, but of what', json({ error: 'duplicate' }), 'other'],
  ['another bot', said('This key was already used by another bot'), 'other'],
  ['other parameters', said('Key already used with other parameters and cannot be used again'), 'other'],
  ['a new sentence', said('Key already used with a different body. Try again'), 'other'],
  ['a new line', said('Key already used with a different body\nTry again'), 'other'],
  ['behind a comma', said('Key already used with a changed body, do not send it again'), 'other'],
  ['the first one failed', said('Duplicate key: the first request failed'), 'other'],
  ['rejected', said('A request with this key was already processed and rejected'), 'other'],
  ['declined', said('Request already processed: declined by the moderator'), 'other'],
  ['timed out', said('Duplicate request; the first one timed out'), 'other'],
  ['not created', said('Duplicate request, no message: not created'), 'other'],
  ['JSend', json({ status: 'error', message: 'Duplicate idempotency key' }), 'other'],
  ['a revoked key', json({ code: 'api_key_revoked' }), 'other'],
  ['keys', said('Too many keys'), 'other'],
  ['a word that only begins like one', said('The requested message: alreadyish used key'), 'other'],

  // Told wrongly as done: nobody can read these from the words alone.
  ['wrongly: another thing', said('Your request names a conversation that already exists'), 'repetition'],
  ['wrongly: a contraction', said('Duplicate idempotency key: the message wasn’t posted'), 'repetition'],
  ['wrongly: a dropped one', said('Duplicate request dropped: the first one had no effect'), 'repetition'],
];
