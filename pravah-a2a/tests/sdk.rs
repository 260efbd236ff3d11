//! The official SDKs on the other side, as processes of their own on loopback: `conformance/run` installs them and says
//! where they are.
