import { command } from '../parse/command.ts';

export const doctorSpec = command({
  group: 'Set-up',
  does: 'looks',
  about: 'Check profile, token, service, clock, chain and journal',
  details:
    'It sends no message and no payment, and changes nothing. It tries the token with an empty message, which the service must refuse, and compares the two clocks. It asks the profile’s Solana node for its cluster and the balance. Only a real command shows what a token may do.',
  examples: { 'Check the profile in use': 'botctl doctor' },
});
