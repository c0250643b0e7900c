import { options } from './args.ts';

/** Options of every command that sends one thing. */
export const onceOptions = options(
  [
    '-o, --once <name>  name it; it happens once under that name',
    '--idempotency-key <key>  use this key, chosen by another system',
    '--dry-run  show the request and any earlier one; send nothing',
    '-y, --yes  do not ask for confirmation',
  ],
  'Sent once',
);
