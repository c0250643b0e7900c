import type { LeafSpec } from '../../parse/command.ts';

export const doctorSpec: LeafSpec = {
  name: 'doctor',
  does: 'looks',
  about: 'Check profile, token, service, clock, chain and journal',
  details: `Nothing is sent to the API and nothing is changed. botctl connects to the service (TCP and
TLS, through the proxy if there is one) and asks HEAD / without the token, to read its clock. The
profile’s Solana node is asked for its cluster and the balance. What a token may do only shows when it is used.`,
  options: [
    {
      flags: '--prometheus <file>',
      about: 'also write what a monitor asks, in the text format of Prometheus',
    },
  ],
  examples: [
    {
      about: 'Every minute, for the node exporter’s textfile collector',
      line: 'botctl doctor --quiet --prometheus /var/lib/node_exporter/botctl.prom',
    },
    { about: 'The profile in use', line: 'botctl doctor' },
    { about: 'Another profile, for a monitor', line: 'botctl doctor --profile prod --json' },
  ],
  exits: [0, 1, 2, 130],
  load: async () => (await import('./run.ts')).run,
};
