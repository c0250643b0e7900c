import * as z from 'zod';
import { policyFile } from '../../src/policy/readPolicy.ts';
import { schemaId } from './publish.ts';

const about: Readonly<Record<string, string>> = {
  schema: 'the version of this format',
  limits: 'what may be spent of each asset; one without a line here is refused',
  transfer: 'at most in one transfer',
  day: 'at most in the last 24 hours, by all bots of the journal; what is in doubt counts',
  recipients: 'addresses by names: --to @NAME',
  only_recipients: 'nobody else is paid',
  approve_above: 'a larger transfer waits until a person approves it',
  approvals:
    'another database role than the one that proposed a transfer must approve it; on a file this refuses what needs approval',
  $schema: 'where an editor finds this schema; botctl does not read it',
};

/** The JSON Schema of a policy file. It is closed: a policy with an unknown key allows nothing. */
export function publishedPolicySchema(): Record<string, unknown> {
  const made = z.toJSONSchema(policyFile as unknown as z.ZodType, {
    target: 'draft-2020-12',
    override: ({ jsonSchema, path }) => {
      const name = path.at(-1);
      const described = typeof name === 'string' && path.at(-2) === 'properties' ? about[name] : undefined;
      if (described !== undefined) jsonSchema.description = described;
    },
  });
  return {
    ...made,
    $id: schemaId('botctl-policy-1'),
    title: 'botctl-policy/1: what a bot may spend, and to whom',
  };
}
