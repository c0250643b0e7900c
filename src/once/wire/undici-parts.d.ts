// undici's whole import is heavy; this is the part of it that botctl loads, by its own path.
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export = Client;
}
