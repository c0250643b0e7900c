export const style = `
:root { color-scheme: light dark; --ground: #f6f7f9; --card: #fff; --text: #1b1f24; --dim: #5b6470; --line: #d9dee5; --accent: #2457c5; --bubble: #e8effd; --good: #12703a; --bad: #b3261e; --mark: #8a5a00 }
@media (prefers-color-scheme: dark) { :root { --ground: #121417; --card: #1c2025; --text: #e8eaed; --dim: #9aa4b1; --line: #353c45; --accent: #8ab4ff; --bubble: #22314d; --good: #6cd391; --bad: #ff9c94; --mark: #f0b849 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 80rem; padding: 1rem; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
h3, small, code, output, button { unicode-bidi: isolate }
h1 { font-size: 1.25rem; margin: 0 } h2 { font-size: 1.05rem; margin: 0 0 .6rem } h3 { font-size: .95rem; margin: 0 0 .5rem }
header { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; align-items: baseline; padding-bottom: .8rem }
#live { margin: 0; color: var(--dim) }
code { font: 12.5px ui-monospace, monospace; overflow-wrap: anywhere }
.wallet { display: flex; flex-wrap: wrap; gap: .2rem 1rem; align-items: baseline } .wallet ul { display: flex; gap: 1rem; margin: 0; padding: 0; list-style: none }
details { flex-basis: 100% } summary { cursor: pointer; color: var(--dim) } dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .4rem 0 0 } dd { margin: 0 }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; min-width: 0 }
section:nth-of-type(n + 3) { grid-column: 1 / -1 }
.none { color: var(--dim); margin: 0 }
.chat + .chat { margin-top: 1rem; border-top: 1px solid var(--line); padding-top: 1rem }
.chat ol, .faults { list-style: none; margin: 0; padding: 0 } .chat ol { display: grid; gap: .6rem; max-height: 32rem; overflow-y: auto }
.chat li { background: var(--bubble); border-radius: 4px 12px 12px 12px; padding: .5rem .8rem; justify-self: start; max-width: 100% }
.content { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate }
.reply { margin: 0; color: var(--dim); font-size: .85em } .chat footer, .chat output { display: block; color: var(--dim); font-size: .85em } .chat output { color: var(--text); overflow-wrap: anywhere }
.row { display: flex; flex-wrap: wrap; gap: .4rem; margin: .4rem 0 }
button { font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .25rem .7rem; cursor: pointer; overflow-wrap: anywhere }
button.success { color: var(--good); border-color: currentColor } button.danger { color: var(--bad); border-color: currentColor }
:is(button, input, select, summary):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
input, select { font: 13px ui-monospace, monospace; color: var(--text); background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: .3rem .4rem; min-width: 0; max-width: 100% }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .35rem .7rem .35rem 0 } th { color: var(--dim); font-weight: 500; font-size: .85em } tbody tr { border-top: 1px solid var(--line) }
td small { color: var(--dim) } td[data-name^=Wallet], td[data-name=Fee], td[data-name=Amount] { font-variant-numeric: tabular-nums }
.readings { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: .4rem 1.2rem }
.reading { display: grid; grid-template-columns: 11.5rem 1fr max-content; gap: .4rem; align-items: center } .reading label { overflow-wrap: anywhere; font-size: .9em }
.reading.changed label { color: var(--mark); font-weight: 600 }
.fault { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; margin-top: .8rem } .times { color: var(--dim) }
#problem { position: sticky; bottom: 0; margin: 1rem 0 0; color: var(--bad) } #problem:not(:empty) { background: var(--card); border: 1px solid var(--bad); border-radius: 6px; padding: .5rem .8rem }
@media (min-width: 52.01rem) { td[data-name^=Wallet], td[data-name=Fee] { white-space: nowrap } }
@media (max-width: 52rem) {
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden } tbody tr { display: block; padding: .5rem 0 }
  td { display: grid; grid-template-columns: 7.5rem 1fr; padding: .1rem 0 } td::before { content: attr(data-name); color: var(--dim) } td:empty { display: none }
}
@media (max-width: 30rem) { .reading { grid-template-columns: 1fr max-content } .reading label { grid-column: 1 / -1 } }
`;
