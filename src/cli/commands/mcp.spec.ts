import { command } from '../parse/command.ts';

export const mcpSpec = command({
  group: 'Set-up',
  does: 'looks',
  about: 'Offer botctl to a model without a shell (MCP)',
  details:
    'It serves the profile and the journal that it was started with, over stdio, until stdin ends. Its tools look, send messages by name, and propose payments, which a person approves elsewhere. No tool approves, resolves or changes anything else.',
  examples: { 'What a client of MCP starts': 'botctl --profile prod mcp' },
});
