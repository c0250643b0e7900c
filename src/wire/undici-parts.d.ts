// undici's whole import is heavy; these are the two parts of it that botctl loads, by their own paths.
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export = Client;
}
declare module 'undici/lib/core/connect.js' {
  import type { Socket } from 'node:net';
  import type { buildConnector } from 'undici';

  // Its published type leaves out that the socket is returned while it is still connecting.
  type Connect = (
    options: buildConnector.Options & { httpSocket?: Socket },
    callback: buildConnector.Callback,
  ) => Socket;
  function connector(options: buildConnector.BuildOptions): Connect;
  export = connector;
}
