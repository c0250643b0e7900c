#!/usr/bin/env node
import { main, realWorld } from '../dist/main.js';

process.exitCode = await main(realWorld());
