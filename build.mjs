// Builds the program from src/ into dist/.
import { fileURLToPath } from 'node:url';
import { bundleProgram } from './bundle.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const files = await bundleProgram({ entry: `${root}src/main.ts`, dir: `${root}dist` });
process.stdout.write(`built ${files} files into dist/\n`);
