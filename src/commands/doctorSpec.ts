import type { LeafSpec } from '../cli/spec.ts';

export const doctorSpec: LeafSpec = {
  name: 'doctor',
  about: 'Check that everything is in order: profile, token, address, clock, journal',
  details: `Nothing is sent to the API and nothing is changed. The service is connected to (TCP and
TLS, through the proxy if there is one) and asked HEAD / without the token, for its clock.
What a token may do only shows when it is used.`,
  examples: [
    { about: 'The profile in use', line: 'botctl doctor' },
    { about: 'Another profile, for a monitor', line: 'botctl doctor --profile prod --json' },
    {
      about: 'What is not in order',
      line: 'botctl doctor --json | jq \'.checks[] | select(.level != "ok")\'',
    },
  ],
  exits: [0, 1, 2, 130],
  load: async () => (await import('./doctor.ts')).run,
};
