/**
 * What a subscription asks, what a market shows at each look, 5 s apart, and what must be told then. `*4` stands for so many
 * looks; what is told belongs to the last of them: `+` an alert, `-` its end, `~` that it comes and goes, `!` an event.
 */
export interface Table {
  readonly ask: string;
  readonly looks: string;
  /** The decimals of the market; 5 where left out. */
  readonly places?: number;
}

const table = (ask: string, looks: string, places?: number): Table =>
  places === undefined ? { ask, looks } : { ask, looks, places };

const HUGE = "340282366920938463463.374607431768211456";
const HUGER = "340282366920938463463.374607431768211457";
const LARGE = "18446744073709551616";

export const TABLES: readonly Table[] = [
  // On the limit, beyond it, and back.
  table("mark above 70000", "60000 70000*3 70001+"),
  table("mark above 70000", "60000 70000.00001+"),
  table("mark below 70000", "80000 70000*3 69999.99999+"),
  table("mark above 70000", "60000 70001+ 69651*5 70000*2 69650*4-"),
  table("mark above 70000", "60000 70001+ 69650*3 70001 69650*4-"),
  table("mark below 100", "110 99+ 100.49999*5 100.5*4-"),
  table("mark above 70000 back 1%", "60000 70001+ 69301*5 69300*4-"),
  table("mark above 70000 back 100", "60000 70001+ 69901*5 69900*4-"),
  table("mark above 70000 back 0", "60000 70001+ 70000*4-"),
  table("spread above 0 back 1", "bid=5,offer=5*2 bid=5,offer=5.00001+ bid=5,offer=5*5"),
  table("mark above 70000 as critical", "60000 70001+"),
  // A first look tells nothing: it may be the end of what was before.
  table("mark above 70000", "70001 70001+"),
  table("mark above 70000", "70001 60000*5"),
  // Two limits.
  table("last below 50000 or above 70000", "60000 49999+ 70001+ 70001*3-"),
  table("last below 50000 or above 70000", "60000 50000*2 70000*2 60000*4"),
  table("last below 50000 or above 70000", "60000 70001+ 49999+ 70001 49999 60000*3- 60000-"),
  table("price high=70000 low=50000", "60000 49999+ 70001+ 70001*3-"),
  table("price high=70000 low=50000", "60000 50000*2 70000*2 70001+ 70000*4-"),
  table("price high=70000 low=50000 when=within", "80000 70000.00001 70000+ 50000 49999*4-"),
  table("price low=50000", "60000 50000 49999+ 50000*4-"),
  // Each value.
  table("last above 5", "4 5*2 6+"),
  table("mid above 5", "4 5*2 6+"),
  table("bid above 5", "4 5*2 6+"),
  table("offer below 5", "6 5*2 4+"),
  table("indicative above 5", "4 5*2 6+"),
  table("open-interest above 1000", "900 1000*2 1001+"),
  table("spread above 10", "bid=100,offer=105 bid=100,offer=110*3 bid=100,offer=110.00001+"),
  table("spread above 0.5%", "bid=399.5,offer=400.5 bid=399,offer=401*2 bid=398.99999,offer=401+"),
  table("spread above 1", "bid=5,offer=6 bid=7,offer=6*3 bid=5,offer=7+"),
  table("stake-ratio below 100%", "supplied=100,target=100*3 supplied=99,target=100+ supplied=201,target=200*4-"),
  table(
    "bound within 2%",
    "mark=100,bounds=90/110 mark=100,bounds=97/103 mark=100,bounds=98/103+ mark=100,bounds=90/110*4-",
  ),
  // A price of zero is none.
  table("mark above 70000", "60000 0*5 70001+ 0*12 69650*4-"),
  table("mark below 100", "110 0*5 99+"),
  // Digits that no 64-bit number and no floating point holds.
  table(`mark above ${HUGE}`, `1 ${HUGE}*2 ${HUGER}+`, 18),
  table(`mark below ${HUGER}`, `${HUGER}*3 ${HUGE}+`, 18),
  table(`open-interest above ${LARGE}`, `${LARGE}*2 18446744073709551617+`),
  table(
    "mark changes 5% within 1min",
    "100000000000000000000.000000000000000001 105000000000000000000.000000000000000001 105000000000000000000.000000000000000002+",
    18,
  ),
  table(
    "spread above 0.000000000000000001",
    "bid=1,offer=1.000000000000000001*2 bid=1,offer=1.000000000000000002+",
    18,
  ),
  // Nobody looked, or nobody answered.
  table("mark above 70000", "60000 fail*5 70001+"),
  table("mark above 70000", "60000 70001+ fail*12 69650*4-"),
  table("mark above 70000", "60000 70001+ 69650*2 fail*3 69650*3-"),
  table("mark above 70000", "60000 away10m 70001 70001+"),
  table("mark above 70000", "60000 70001+ away10m 70001*3 69650*4-"),
  table("mark above 70000", "60000 70001+ away10m 69650*4-"),
  // Markets and values that vanish and come back.
  table("mark above 70000", "60000 70001+ none*10-"),
  table("mark above 70000", "60000 70001+ none*5 70001*3 69650*4-"),
  table("mark above 70000", "60000 70001+ none*10- 70001+"),
  table("mark above 70000", "none*5 60000 70001+"),
  table("bid above 5", "4 6+ off*12 6*3 4*4-"),
  // The same name on two networks.
  table("mark above 70000", "60000|60000 70001|60000+| 70001|60000 70001|70001|+ 60000|70001*4-|"),
  table("mark above 70000", "60000|60000 70001|70001+|+ 60000|fail*4-| 60000|60000*4|-"),
  // Markets that do not trade, for a while or any more.
  table("mark above 70000", "60000 governed:70001+ governed:69650*4-"),
  table("mark above 70000", "60000 suspended:70001+ suspended:69650*4-"),
  table("mark above 70000", "60000 70001+ settled:71000*4-"),
  table("mark above 70000", "60000 70001+ cancelled:off*4-"),
  table("mark above 70000", "60000 settled:71000! settled:71000*5"),
  table("mark above 70000", "60000 terminated:60000! settled:71000*5"),
  table("price high=70000", "60000 70001+ settled:71000*4-"),
  // Clocks that jump.
  table("mark above 70000", "60000 wall+1h 60000 70001+ wall-1h 70001*2 69650*4-"),
  table("mark changes 5% within 1min", "100 wall+1h 100 105+"),
  table("mark changes 5% within 1min", "100 100 wall-1h 105+"),
  // Changes.
  table("mark changes 5% within 1min", "100 104.99999 105+"),
  table("mark falls 5% within 1min", "100 105 99.75001 99.75+"),
  table("mark rises 5% within 1min", "105 99 90*3 94.49999 94.5+"),
  table("mark changes 5% within 1min", "100 101*11 105+"),
  table("mark changes 5% within 1min", "100 101*12 105*3"),
  table("mark changes 5% within 1min", "100 105+ 105*11 105*4-"),
  table("mark changes 5% within 1min", "100 fail*3 105+"),
  table("mark changes 5% within 1min", "100 none*3 105+"),
  table("mark changes 5% within 1min", "100 away30s 105 105+"),
  table("mark changes 5% within 1min", "100 away10m 105*3"),
  // Not again, not any more, and not hidden.
  table("mark above 70000 once", "60000 70001+ 60000*4- 70001*3"),
  table("mark above 70000 until 2024-06-03T12:00:12Z", "60000*3 70001*3"),
  table(
    "mark above 70000",
    "60000 70001+ 60000*4- 70002+ 60000*4- 70003+ 60000*4- 70004~ 60000*4 70009 60000*4 70009.00001+ 60000*4-",
  ),
];
