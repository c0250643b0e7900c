// npm run pictures: draws the pictures that show what commands print. A test fails if their words are outdated.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { onceTwice } from './onceTwice.ts';
import { drawn } from './terminalPicture.ts';

const readme = readFileSync('README.md', 'utf8');
mkdirSync('docs/pictures', { recursive: true });
const { path, title, columns, rows } = await onceTwice(readme);
writeFileSync(path, drawn(title, columns, rows));
console.log(`wrote ${path}`);
