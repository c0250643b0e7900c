import { batches } from './batches.ts';
import { commandLines } from './commandLines.ts';
import { configs, journals } from './files.ts';
import type { Kind } from './kind.ts';
import { payloads } from './payloads.ts';
import { replies } from './replies.ts';

export const kinds: readonly Kind[] = [payloads, commandLines, batches, configs, journals, replies];
