import { command } from '../parse/command.ts';

export const balanceSpec = command({
  group: 'Money',
  does: 'looks',
  about: 'Show what is in the bot’s wallet',
  details:
    'It asks a Solana node for SOL and for the tokens in the profile’s assets. The profile needs rpc-url and wallet (without one: BOTCTL_RPC_URL and BOTCTL_WALLET), and no token. The node must answer within 1 s, or --timeout.',
  examples: { 'Show the wallet of the profile in use': 'botctl balance' },
});
