import { existsSync } from 'node:fs';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { dryRunView } from '../display/dryRunView.ts';
import type { Asked, Speaking } from '../engine/doing.ts';
import { makePlan, type Plan, type Sought, seek } from '../engine/plan.ts';
import type { Exit } from '../errors.ts';
import { sandboxBaseUrl } from '../intent/baseUrl.ts';
import { canonicalBody } from '../intent/canonical.ts';
import { nameOf } from '../intent/naming.ts';
import { resolveSpeaker } from '../profile/speaker.ts';
import { endpoint } from '../wire/endpoints.ts';
import { journalPath, openJournalOf } from './journalPlace.ts';
import { refuseBesideSandbox, settingsOf, speakerWorld } from './session.ts';

/** Shows what would be sent and whether it would be a re-run. Journals nothing and sends nothing. */
export async function dryRun(asked: Asked, given: Given, context: Context): Promise<Exit> {
  settingsOf(given);
  const speaking = await speakingOf(given, context);
  const { sought, plan } = await look(asked, speaking, given, context);
  const key = beginsNew.includes(plan.decision) ? sought.key : (plan.found?.key ?? sought.key);
  await context.display.show(
    dryRunView({
      command: given.command,
      kind: asked.wanted.kind,
      bot: speaking.bot,
      baseUrl: speaking.baseUrl,
      url: endpoint(speaking.baseUrl, asked.wanted.kind),
      name: nameOf(asked.naming),
      key,
      body: canonicalBody({
        ...asked.wanted.request,
        ...(key === undefined ? {} : { idempotency_key: key }),
      }),
      request: { ...asked.wanted.request },
      rerun: plan.decision,
      foundId: plan.found?.id ?? plan.twin?.id,
      warnings: asked.wanted.warnings,
    }),
  );
  return 0;
}

const beginsNew: readonly Plan['decision'][] = ['new', 'new-after-done', 'leave-behind'];

/** Who would speak: nothing is started and nothing is opened for it. */
export async function speakingOf(given: Given, context: Context): Promise<Speaking> {
  if (given.flag('sandbox')) {
    refuseBesideSandbox(given);
    return { bot: 'sandbox', baseUrl: sandboxBaseUrl, token: { reveal: () => '' }, keyAgeMs: undefined };
  }
  const asked = {
    profile: given.text('profile'),
    tokenFile: given.text('token-file'),
    baseUrl: given.text('base-url'),
  };
  const { bot, baseUrl, token, settings } = await resolveSpeaker(asked, speakerWorld(context));
  return { bot, baseUrl, token, keyAgeMs: settings.keyAgeMs };
}

async function look(
  asked: Asked,
  speaking: Speaking,
  given: Given,
  context: Context,
): Promise<{ sought: Sought; plan: Plan }> {
  if (!existsSync(journalPath(given, context))) {
    const sought = seek(asked, speaking, { hashOf: () => '' });
    return { sought, plan: { decision: 'new', found: undefined, twin: undefined } };
  }
  const journal = await openJournalOf(given, context);
  try {
    const sought = seek(asked, speaking, journal);
    return { sought, plan: makePlan(sought, speaking, journal, context.clock.now()) };
  } finally {
    journal.close();
  }
}
